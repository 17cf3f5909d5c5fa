#pragma once
#include <winscard.h>
#include <reader.h>
