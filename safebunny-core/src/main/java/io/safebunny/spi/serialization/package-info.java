// SPDX-License-Identifier: Apache-2.0
/** SPI: payloads to bytes and back. */
@NullMarked
package io.safebunny.spi.serialization;

import org.jspecify.annotations.NullMarked;
