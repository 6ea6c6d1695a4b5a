// render.go prints the templates of a chart with values, by the template engine of Go that helm itself uses.
//
// usage: go run render.go VALUES.json TEMPLATE...      the values have .Values, .Release and .Chart
//
// Of helm's own functions it has those that the chart uses: quote, default and toJson.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"text/template"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func toJSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

func orDefault(other any, given any) any {
	if given == nil || given == "" {
		return other
	}
	return given
}

func quote(value any) string { return strconv.Quote(fmt.Sprint(value)) }

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var values map[string]any
	check(json.Unmarshal(text, &values))
	functions := template.FuncMap{"toJson": toJSON, "default": orDefault, "quote": quote}
	for _, path := range os.Args[2:] {
		parsed, err := template.New(filepath.Base(path)).Option("missingkey=error").Funcs(functions).ParseFiles(path)
		check(err)
		fmt.Println("---")
		check(parsed.Execute(os.Stdout, values))
	}
}
