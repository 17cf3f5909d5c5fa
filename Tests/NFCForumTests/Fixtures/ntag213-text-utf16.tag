# device: NTAG213
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: a text record in UTF-16 without a byte order mark
# source: NFC Forum, Text RTD 1.0, section 3.2.1
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 12 00
04: 03 13 D1 01 0F 54 82 65 6E 00 4C 00 E5 00 64 00
08: 61 00 20 00 34 FE 00 00 00 00 00 00 00 00 00 00
pages: 45
