package forecast

import (
	"encoding/json"
	"fmt"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// Set is the name of the set of tools: those of Select and Raw.
const Set = "forecast"

const (
	selectName        = "forecast"
	selectDescription = "Tells the weather of a city now and on the coming days."
	rawName           = "forecast_raw"
	rawDescription    = "Tells all that is known of the weather of a city."
)

type input struct {
	City string `json:"city"`
	Days int    `json:"days"`
}

// An outlook is what a model is told of a report.
type outlook struct {
	City        string       `json:"city"`
	Temperature float64      `json:"temperature"`
	Wind        float64      `json:"wind"`
	Days        []outlookDay `json:"days"`
}

type outlookDay struct {
	Date string  `json:"date"`
	Max  float64 `json:"max"`
	Min  float64 `json:"min"`
	Rain float64 `json:"rain"`
}

func (r *report) outlook() outlook {
	out := outlook{City: r.Location.Name, Temperature: r.Current.Temperature, Wind: r.Current.Wind.Speed, Days: make([]outlookDay, 0, len(r.Daily))}
	for _, d := range r.Daily {
		out.Days = append(out.Days, outlookDay{d.Date, d.Max, d.Min, d.Rain})
	}
	return out
}

// The calls that are measured. What they have to be answered with is known
// without the API.
var (
	// Select makes an object of some of the report's values.
	Select = newCall(selectName, func(r report) any { return r.outlook() })
	// Raw shows the report as it came, as text only.
	Raw = newCall(rawName, func(r report) any {
		body, err := json.Marshal(r)
		if err != nil {
			panic(err) // plain data of this package
		}
		return string(body)
	})
)

func newCall(name string, answer func(report) any) *work.Call {
	direct := func(arguments []byte) (any, error) {
		var in input
		if err := json.Unmarshal(arguments, &in); err != nil {
			return nil, err
		}
		if in.Days < 1 || in.Days > maxDays {
			return nil, fmt.Errorf("no forecast for %d days", in.Days)
		}
		return answer(reportOn(in.City, in.Days)), nil
	}
	return &work.Call{
		Tool:      work.Tool{Name: name, Direct: direct},
		Arguments: `{"city":"Izmir Karşıyaka","days":5}`,
		Broken:    `{"city":"Izmir Karşıyaka","days":"5"}`,
	}
}
