# device: NTAG213
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: the URI stands in the record's type, the payload is empty
# source: NFC Forum, NDEF 1.0, section 3.2.6
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 12 00
04: 03 15 D3 12 00 68 74 74 70 73 3A 2F 2F 61 2E 65
08: 78 61 6D 70 6C 65 2F FE 00 00 00 00 00 00 00 00
pages: 45
