// Standin answers like the forecast API of Open-Meteo, with made-up weather that
// is the same everywhere and always. It is for trying things out without the
// internet:
//
//	go run ./examples/weather/standin             # on port 8098
//	go run ./examples/weather/standin --port 0    # on a free one
//
// Its answers have the shape that https://open-meteo.com/en/docs describes, for
// the variables that ../kervan.yaml asks for.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	port := flag.Int("port", 8098, "port of 127.0.0.1 to listen on, 0 for a free one")
	flag.Parse()
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(*port)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a stand-in for Open-Meteo, with made-up weather, on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, newHandler(time.Now)))
}

// A variable is something that the API tells, with its unit and what it is
// always said to be.
type variable struct {
	name, unit string
	value      any
}

var (
	currentVariables = []variable{
		{"temperature_2m", "°C", 21.1},
		{"wind_speed_10m", "km/h", 5.9},
		{"weather_code", "wmo code", 2},
	}
	dailyVariables = []variable{
		{"temperature_2m_max", "°C", 24.3},
		{"temperature_2m_min", "°C", 14.8},
		{"precipitation_sum", "mm", 0.4},
		{"weather_code", "wmo code", 61},
	}
)

func newHandler(now func() time.Time) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/forecast", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		answer, err := forecast(r.URL.Query(), now().UTC())
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			answer = map[string]any{"error": true, "reason": err.Error()}
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	return mux
}

func forecast(query url.Values, now time.Time) (map[string]any, error) {
	latitude, err := degrees(query, "latitude", 90)
	if err != nil {
		return nil, err
	}
	longitude, err := degrees(query, "longitude", 180)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{
		"latitude": latitude, "longitude": longitude, "elevation": 38.0, "generationtime_ms": 0.05,
		"utc_offset_seconds": 0, "timezone": "GMT", "timezone_abbreviation": "GMT",
	}
	if query.Has("current") {
		values := map[string]any{"time": now.Truncate(15 * time.Minute).Format("2006-01-02T15:04"), "interval": 900}
		units := map[string]any{"time": "iso8601", "interval": "seconds"}
		err = addVariables(query.Get("current"), currentVariables, func(v variable) {
			values[v.name], units[v.name] = v.value, v.unit
		})
		answer["current"], answer["current_units"] = values, units
	}
	if query.Has("daily") && err == nil {
		answer["daily"], answer["daily_units"], err = daily(query, now)
	}
	return answer, err
}

func daily(query url.Values, now time.Time) (values, units map[string]any, err error) {
	days := 7
	if s := query.Get("forecast_days"); s != "" {
		if days, err = strconv.Atoi(s); err != nil || days < 0 || days > 16 {
			return nil, nil, fmt.Errorf("Forecast days is invalid. Allowed range 0 to 16. Given %s.", s)
		}
	}
	dates := make([]string, days)
	for i := range dates {
		dates[i] = now.AddDate(0, 0, i).Format(time.DateOnly)
	}
	values, units = map[string]any{"time": dates}, map[string]any{"time": "iso8601"}
	err = addVariables(query.Get("daily"), dailyVariables, func(v variable) {
		values[v.name], units[v.name] = slices.Repeat([]any{v.value}, days), v.unit
	})
	return values, units, err
}

// addVariables calls add for each variable of a list such as "a,b".
func addVariables(list string, known []variable, add func(variable)) error {
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(known, func(v variable) bool { return v.name == name })
		if i < 0 {
			return fmt.Errorf("Data corrupted at path ''. Cannot initialize a variable from invalid String value %s.", name)
		}
		add(known[i])
	}
	return nil
}

// degrees reads a coordinate from -limit to limit.
func degrees(query url.Values, name string, limit float64) (float64, error) {
	value, err := strconv.ParseFloat(query.Get(name), 64)
	if err != nil {
		return 0, fmt.Errorf("Parameter '%s' must be a number.", name)
	}
	if !(-limit <= value && value <= limit) {
		title := strings.ToUpper(name[:1]) + name[1:]
		return 0, fmt.Errorf("%s must be in range of -%g to %g°. Given: %g.", title, limit, limit, value)
	}
	return value, nil
}
