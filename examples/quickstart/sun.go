package main

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"
)

// sunAPI is an ordinary HTTP API, such as any team has one: it knows nothing
// of Kervan. kervan.yaml makes a tool of it.
//
//	GET /v1/sun?lat=41.01&lon=28.95&date=2026-06-21
func sunAPI() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sun", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		lat, latErr := strconv.ParseFloat(q.Get("lat"), 64)
		lon, lonErr := strconv.ParseFloat(q.Get("lon"), 64)
		day, dayErr := time.Parse(time.DateOnly, q.Get("date"))
		if latErr != nil || lonErr != nil || dayErr != nil || math.Abs(lat) > 90 || math.Abs(lon) > 180 {
			http.Error(w, "lat, lon and date are needed", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(sunReport(lat, lon, day))
	})
	return mux
}

// sunReport is the API's answer: more than a model wants to read, as the
// answers of APIs are.
func sunReport(lat, lon float64, day time.Time) map[string]any {
	s := sunOn(lat, lon, day)
	events := map[string]any{"noon": s.noon.Format(time.RFC3339)}
	if s.rises {
		events["sunrise"] = s.sunrise.Format(time.RFC3339)
		events["sunset"] = s.sunset.Format(time.RFC3339)
	}
	return map[string]any{
		"query": map[string]any{"lat": lat, "lon": lon, "date": day.Format(time.DateOnly)},
		"sun": map[string]any{
			"events":    events,
			"dayLength": map[string]any{"minutes": int(s.daylight.Round(time.Minute) / time.Minute)},
			"model":     map[string]any{"declinationDegrees": s.declination, "refractionDegrees": -horizon},
		},
	}
}

// horizon is the height of the sun's centre when its upper edge is seen at the
// horizon: 34' of refraction and 16' of radius below it.
const horizon = -50.0 / 60

type sunDay struct {
	rises                 bool // false in a polar day or night
	sunrise, noon, sunset time.Time
	daylight              time.Duration
	declination           float64 // degrees
}

// sunOn computes the sun's day at a place by the sunrise equation, which is
// right to a minute or two.
func sunOn(lat, lon float64, day time.Time) sunDay {
	epoch := time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC)
	days := math.Round(day.Sub(epoch).Hours()/24+0.5) - lon/360
	anomaly := math.Mod(357.5291+0.98560028*days, 360)
	centre := 1.9148*sin(anomaly) + 0.02*sin(2*anomaly) + 0.0003*sin(3*anomaly)
	longitude := math.Mod(anomaly+centre+180+102.9372, 360)
	transit := days + 0.0053*sin(anomaly) - 0.0069*sin(2*longitude)
	declination := math.Asin(sin(longitude)*sin(23.4397)) * 180 / math.Pi

	at := func(days float64) time.Time {
		return epoch.Add(time.Duration(days * 24 * float64(time.Hour))).Truncate(time.Second)
	}
	s := sunDay{noon: at(transit), declination: math.Round(declination*1e4) / 1e4}
	hourAngle := (sin(horizon) - sin(lat)*sin(declination)) / (cos(lat) * cos(declination))
	switch {
	case hourAngle < -1:
		s.daylight = 24 * time.Hour
	case hourAngle <= 1:
		half := math.Acos(hourAngle) / (2 * math.Pi)
		s.rises, s.sunrise, s.sunset = true, at(transit-half), at(transit+half)
		s.daylight = s.sunset.Sub(s.sunrise)
	}
	return s
}

func sin(degrees float64) float64 { return math.Sin(degrees * math.Pi / 180) }
func cos(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }
