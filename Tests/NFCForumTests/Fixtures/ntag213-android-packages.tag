# device: NTAG213
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: a URI and two Android application records
# source: Android, NFC basics, Android Application Records
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 12 00
04: 03 56 91 01 0E 55 04 61 2E 65 78 61 6D 70 6C 65
08: 2F 61 70 70 14 0F 0F 61 6E 64 72 6F 69 64 2E 63
0C: 6F 6D 3A 70 6B 67 63 6F 6D 2E 65 78 61 6D 70 6C
10: 65 2E 61 70 70 54 0F 11 61 6E 64 72 6F 69 64 2E
14: 63 6F 6D 3A 70 6B 67 63 6F 6D 2E 65 78 61 6D 70
18: 6C 65 2E 6F 74 68 65 72 FE 00 00 00 00 00 00 00
pages: 45
