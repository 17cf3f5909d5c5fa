# device: MIFARE Ultralight
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: as delivered: one-time bits all zero
# source: NXP MF0ICU1 data sheet, section 7.5.4
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 00 00 00 00
pages: 16
