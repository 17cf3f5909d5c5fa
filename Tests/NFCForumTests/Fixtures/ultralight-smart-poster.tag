# device: MIFARE Ultralight
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: a Smart Poster with a title; 48 bytes of memory
# source: NFC Forum, Smart Poster RTD 1.1, appendix
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 06 00
04: 03 1C D1 02 17 53 70 91 01 09 55 01 63 6E 6E 2E
08: 63 6F 6D 2F 51 01 06 54 02 65 6E 43 4E 4E FE 00
pages: 16
