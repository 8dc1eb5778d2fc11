package work

import (
	"context"
	"fmt"
)

// The trivial tool.

type addIn struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type addOut struct {
	Sum float64 `json:"sum"`
}

func add(_ context.Context, in addIn) (addOut, error) {
	return addOut{Sum: in.A + in.B}, nil
}

// AddTool adds two numbers.
var AddTool = typed("add", "Adds two numbers.", add)

// The realistic tool: eight properties, one of them an object and one an array
// of objects.

type orderIn struct {
	Customer string      `json:"customer"`
	Email    string      `json:"email"`
	Currency string      `json:"currency"`
	Express  bool        `json:"express"`
	Discount float64     `json:"discount"`
	Note     *string     `json:"note,omitempty"`
	ShipTo   address     `json:"ship_to"`
	Items    []orderItem `json:"items"`
}

type address struct {
	Street  string `json:"street"`
	City    string `json:"city"`
	Zip     string `json:"zip"`
	Country string `json:"country"`
}

type orderItem struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
}

type orderOut struct {
	Order    string      `json:"order"`
	Status   string      `json:"status"`
	Customer string      `json:"customer"`
	Currency string      `json:"currency"`
	Subtotal float64     `json:"subtotal"`
	Discount float64     `json:"discount"`
	Shipping float64     `json:"shipping"`
	Total    float64     `json:"total"`
	ShipTo   address     `json:"ship_to"`
	Lines    []orderLine `json:"lines"`
}

type orderLine struct {
	SKU       string  `json:"sku"`
	Quantity  int     `json:"quantity"`
	Price     float64 `json:"price"`
	Total     float64 `json:"total"`
	Warehouse string  `json:"warehouse"`
	InStock   bool    `json:"in_stock"`
}

var warehouses = []string{"NORTH", "SOUTH", "EAST"}

func order(_ context.Context, in orderIn) (orderOut, error) {
	out := orderOut{
		Order: "ORD-2026-000123", Status: "accepted", Customer: in.Customer, Currency: in.Currency,
		Shipping: 4.5, ShipTo: in.ShipTo, Lines: make([]orderLine, 0, len(in.Items)),
	}
	if in.Express {
		out.Shipping = 12.75
	}
	for i, item := range in.Items {
		price := 2.25 + float64(i)/4
		line := orderLine{
			SKU: item.SKU, Quantity: item.Quantity, Price: price, Total: price * float64(item.Quantity),
			Warehouse: warehouses[i%len(warehouses)], InStock: item.Quantity < 9,
		}
		out.Subtotal += line.Total
		out.Lines = append(out.Lines, line)
	}
	out.Discount = out.Subtotal * in.Discount
	out.Total = out.Subtotal - out.Discount + out.Shipping
	return out, nil
}

// OrderTool is the realistic tool.
var OrderTool = typed("order", "Places an order and says what it costs and where it ships from.", order)

// orderArguments returns about 0.9 KB, for which order returns about 2 KB.
func orderArguments() orderIn {
	note := "Leave it at the door, the bell is broken."
	in := orderIn{
		Customer: "C-20417", Email: "ada@example.com", Currency: "EUR", Express: true, Discount: 0.25, Note: &note,
		ShipTo: address{Street: "12 Harbour Road", City: "Izmir", Zip: "35210", Country: "TR"},
	}
	for i := range 20 {
		in.Items = append(in.Items, orderItem{SKU: fmt.Sprintf("AB-%04d", 1000+i*37), Quantity: 1 + i%9})
	}
	return in
}
