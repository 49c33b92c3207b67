// SPDX-License-Identifier: Apache-2.0
/** SPI: payloads to bytes and back, and how bytes are encoded on the wire. */
@NullMarked
package io.safebunny.serialization;

import org.jspecify.annotations.NullMarked;
