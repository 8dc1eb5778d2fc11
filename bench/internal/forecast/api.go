// Package forecast is an HTTP API that the tools of a benchmark call, and those
// tools in two of the ways they are compared in: as a kervan.yaml, and written by
// hand in Go. typescript/server.mjs has the third.
package forecast

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
)

// A report is what the API answers, about 1 KB for five days.
type report struct {
	Location location `json:"location"`
	Current  current  `json:"current"`
	Daily    []day    `json:"daily"`
}

type location struct {
	Name      string  `json:"name"`
	Country   string  `json:"country"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Timezone  string  `json:"timezone"`
}

type current struct {
	Time        string  `json:"time"`
	Temperature float64 `json:"temperature"`
	Humidity    int     `json:"humidity"`
	Wind        wind    `json:"wind"`
	Description string  `json:"description"`
}

type wind struct {
	Speed     float64 `json:"speed"`
	Direction int     `json:"direction"`
}

type day struct {
	Date        string  `json:"date"`
	Max         float64 `json:"max"`
	Min         float64 `json:"min"`
	Rain        float64 `json:"rain"`
	Sunrise     string  `json:"sunrise"`
	Sunset      string  `json:"sunset"`
	Description string  `json:"description"`
}

// maxDays is how many days the API forecasts.
const maxDays = 16

// reportOn returns what the API says of a city, always the same.
func reportOn(city string, days int) report {
	r := report{
		Location: location{city, "TR", 38.4237, 27.1428, "Europe/Istanbul"},
		Current:  current{"2026-03-01T09:00", 14.5, 61, wind{12.25, 240}, "partly cloudy, a light breeze from the sea"},
	}
	for i := range days {
		warmth := float64(i) / 4
		r.Daily = append(r.Daily, day{
			Date: fmt.Sprintf("2026-03-%02d", i+1), Max: 17.25 + warmth, Min: 8.5 + warmth, Rain: math.Mod(float64(i)*1.5, 4),
			Sunrise: fmt.Sprintf("06:%02d", 41-i), Sunset: fmt.Sprintf("18:%02d", 9+i), Description: "sun and clouds in turns",
		})
	}
	return r
}

// Handler returns the API: GET /v1/cities/{city}/forecast?days=N for those who
// have the key.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/cities/{city}/forecast", func(w http.ResponseWriter, r *http.Request) {
		days, err := strconv.Atoi(r.URL.Query().Get("days"))
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			http.Error(w, "no or another key", http.StatusUnauthorized)
			return
		case err != nil || days < 1 || days > maxDays:
			http.Error(w, "days is not a number from 1 to 16", http.StatusBadRequest)
			return
		}
		body, err := json.Marshal(reportOn(r.PathValue("city"), days))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	return mux
}
