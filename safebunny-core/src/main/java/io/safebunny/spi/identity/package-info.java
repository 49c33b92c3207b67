// SPDX-License-Identifier: Apache-2.0
/** SPI of message ids: a pure function of a message's ancestry. */
@NullMarked
package io.safebunny.spi.identity;

import org.jspecify.annotations.NullMarked;
