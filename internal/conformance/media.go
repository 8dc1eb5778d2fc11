package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"sync"
)

// redDot is a PNG of one red pixel.
var redDot = sync.OnceValue(func() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	img.Set(0, 0, color.RGBA{R: 0xff, A: 0xff})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return b.Bytes()
})

// silence is a WAV file of a hundredth of a second: one channel of 16 bits at
// 8 kHz.
var silence = sync.OnceValue(func() []byte {
	const rate, frame, samples = 8000, 2, 80
	const size = samples * frame
	var b []byte
	b = append(b, "RIFF"...)
	b = binary.LittleEndian.AppendUint32(b, 36+size)
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)   // length of the format
	b = binary.LittleEndian.AppendUint16(b, 1)    // PCM
	b = binary.LittleEndian.AppendUint16(b, 1)    // channels
	b = binary.LittleEndian.AppendUint32(b, rate) // samples a second
	b = binary.LittleEndian.AppendUint32(b, rate*frame)
	b = binary.LittleEndian.AppendUint16(b, frame)
	b = binary.LittleEndian.AppendUint16(b, 8*frame)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, size)
	return append(b, make([]byte, size)...)
})
