#pragma once
#include <winscard.h>
#include <reader.h>

/// Attributes whose numbers are function-like macros, which Swift does not import.
static const DWORD plings_scard_attr_serial_number = SCARD_ATTR_VENDOR_IFD_SERIAL_NO;
static const DWORD plings_scard_attr_atr = SCARD_ATTR_ATR_STRING;
