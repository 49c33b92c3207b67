// SPDX-License-Identifier: Apache-2.0
/** SPI of the durable record of handled messages: conditional operations on single records. */
@NullMarked
package io.safebunny.store;

import org.jspecify.annotations.NullMarked;
