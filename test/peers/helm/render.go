// Renders the templates of a chart as Helm does, for what the chart uses: `render <templates> < values`, as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
)

func main() {
	var given map[string]interface{}
	check(json.NewDecoder(os.Stdin).Decode(&given))
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	// JSON is YAML.
	functions["toYaml"] = functions["toJson"]
	all.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = all.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".tpl") {
			continue
		}
		fmt.Println("---")
		check(all.ExecuteTemplate(os.Stdout, filepath.Base(file), given))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
