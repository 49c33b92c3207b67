// SPDX-License-Identifier: Apache-2.0
/** SPI: the bytes of a message between serializer and wire. A codec sees one message, and does no I/O. */
@NullMarked
package io.safebunny.spi.codec;

import org.jspecify.annotations.NullMarked;
