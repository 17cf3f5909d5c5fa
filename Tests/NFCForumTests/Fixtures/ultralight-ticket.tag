# device: MIFARE Ultralight
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: one-time bits used by a ticket, so that it can never hold NDEF
# source: NXP MF0ICU1 data sheet, section 7.5.3
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 FF FF 00 00
04: 12 34 00 00 00 00 00 00 00 00 00 00 00 00 00 00
pages: 16
