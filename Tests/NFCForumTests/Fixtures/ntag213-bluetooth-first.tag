# device: NTAG213
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: a media record with an ID, all zeros inside, before the URI
# source: NFC Forum, Connection Handover 1.5, Bluetooth OOB record
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 12 00
04: 01 03 A0 0C 34 03 43 9A 20 10 01 61 70 70 6C 69
08: 63 61 74 69 6F 6E 2F 76 6E 64 2E 62 6C 75 65 74
0C: 6F 6F 74 68 2E 65 70 2E 6F 6F 62 30 00 00 00 00
10: 00 00 00 00 00 00 00 00 00 00 00 00 51 01 0A 55
14: 03 61 2E 65 78 61 6D 70 6C 65 FE 00 00 00 00 00
pages: 45
