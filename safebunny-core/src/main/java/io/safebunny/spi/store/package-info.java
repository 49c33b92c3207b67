// SPDX-License-Identifier: Apache-2.0
/** SPI of the durable record of handled messages: conditional operations on single records, and their stored form. */
@NullMarked
package io.safebunny.spi.store;

import org.jspecify.annotations.NullMarked;
