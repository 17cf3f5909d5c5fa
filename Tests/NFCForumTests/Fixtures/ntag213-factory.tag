# device: NTAG213
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: as delivered: lock-control TLV, then an empty message
# source: NXP NTAG213/215/216 data sheet, section 8.5.6
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 12 00
04: 01 03 A0 0C 34 03 00 FE 00 00 00 00 00 00 00 00
pages: 45
