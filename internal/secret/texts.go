package secret

import "fmt"

// Every text of this package that a person reads stands here. None of them may
// show a value.

const (
	textNotUTF8     = "the value is not valid UTF-8 text; encode binary secrets, for example as base64"
	textPlaceholder = "the value still holds a placeholder like ${NAME} or {{name}} that nothing has filled in"
	textIsMark      = "the value is or holds the redaction mark, so it is not the secret itself"
	textNotJSON     = "not a JSON document"
)

func textTooShort() string {
	return fmt.Sprintf("the value is shorter than %d characters (surrounding blanks not counted), so it cannot be told from ordinary text; plain configuration goes to `vars`", minLength)
}
