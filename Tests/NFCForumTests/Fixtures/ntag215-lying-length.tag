# device: NTAG215
# library version: none: laid out from the chip's data sheet, not read from one
# oddity: the message claims more than the memory has
# source: made up
00: 04 A1 B2 9F C3 D4 E5 F6 04 48 00 00 E1 10 3E 00
04: 03 FF 0F FF D1 01 00 00 00 00 00 00 00 00 00 00
pages: 135
