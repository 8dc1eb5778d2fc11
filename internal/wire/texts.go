package wire

// What clients read when a message cannot be used. None of these texts carries
// a value of the message; a JSON Pointer is added only when it is short and
// printable.
const (
	textParse    = "Parse error: the message is not valid JSON"
	textTrailing = "Parse error: more than one JSON value in the message"
	textEncoding = "Parse error: the message is not valid UTF-8"

	textNotObject    = "Invalid Request: the message is not an object"
	textBatch        = "Invalid Request: batches are not supported, send one message at a time"
	textTooLarge     = "Invalid Request: message too large"
	textDuplicate    = "Invalid Request: duplicate key"
	textSurrogate    = "Invalid Request: a string has half of a surrogate pair"
	textTooDeep      = "Invalid Request: nested too deeply"
	textTooMany      = "Invalid Request: too many elements"
	textCase         = "Invalid Request: a key differs from a known one only in case"
	textVersion      = `Invalid Request: jsonrpc must be "2.0"`
	textMethod       = "Invalid Request: method must be a string"
	textNoMethod     = "Invalid Request: neither a method nor a result"
	textMixed        = "Invalid Request: both a request and an answer"
	textID           = "Invalid Request: id must be a string or an integer"
	textReservedID   = "Invalid Request: the id begins with a reserved prefix"
	textNotification = "Invalid Request: a notification has no id"
	textIDInUse      = "Invalid Request: the id is in use by a running call"
	textNumber       = "Invalid Request: a number has more than 40 characters or an exponent beyond 999"

	textParams         = "Invalid params: params must be an object"
	textParamsNumber   = "Invalid params: a number has more than 40 characters or an exponent beyond 999"
	textName           = "Invalid params: the tool's name must be a string"
	textMeta           = "Invalid params: _meta must be an object"
	textCursor         = "Invalid params: the cursor must be a string"
	textRequestID      = "Invalid params: requestId must be a string or an integer"
	textReservedToken  = "Invalid params: the progress token begins with a reserved prefix"
	textResultNumber   = "the answer has a number of more than 40 characters or an exponent beyond 999"
	textTooManyCalls   = "too many calls in flight, try again later"
	textDraining       = "the server is shutting down"
	textInvalidParams  = "Invalid params"
	textInvalidRequest = "Invalid Request"
	textNoSuchMethod   = "Method not found"
	textInternal       = "Internal error"
	textCancelled      = "the call was cancelled"
	textInitializeOnce = "Invalid Request: this session was initialized already"
	textInitialize     = "Invalid Request: send initialize first, or the protocol version in _meta"
	textParamsMissing  = "Invalid Request: params are missing"
)

// maxPointer bounds the part of a message that an error may name.
const maxPointer = 200

// at appends the place to a text, unless the pointer is too long or could put
// anything but printable ASCII into the answer.
func at(text, pointer string) string {
	if pointer == "" || len(pointer) > maxPointer {
		return text
	}
	for i := range len(pointer) {
		if pointer[i] < ' ' || pointer[i] > '~' {
			return text
		}
	}
	return text + " at " + pointer
}
