// SPDX-License-Identifier: Apache-2.0
/** SPI of message ids: a pure function of what a message descends from. */
@NullMarked
package io.safebunny.spi.identity;

import org.jspecify.annotations.NullMarked;
