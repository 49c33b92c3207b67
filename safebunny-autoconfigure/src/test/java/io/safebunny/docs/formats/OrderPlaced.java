// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.formats;

import io.safebunny.BunnyMessage;
import java.math.BigDecimal;

@BunnyMessage(format = "cbor")
record OrderPlaced(String order, BigDecimal total) {}
