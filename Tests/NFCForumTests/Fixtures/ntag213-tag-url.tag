# device: NTAG213
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: lock-control TLV left in front of the message
# source: NXP NTAG213/215/216 data sheet, section 8.5.6
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 12 00
04: 01 03 A0 0C 34 03 41 D1 01 3D 55 04 73 2E 70 6C
08: 69 6E 67 73 2E 69 6F 2F 3F 74 3D 6E 26 69 3D 34
0C: 6B 79 51 43 64 35 74 4D 44 6A 4A 56 57 4A 48 35
10: 68 39 67 66 26 70 3D 32 2E 33 2E 37 2E 32 26 63
14: 70 3D 33 62 39 65 31 51 FE 00 00 00 00 00 00 00
pages: 45
