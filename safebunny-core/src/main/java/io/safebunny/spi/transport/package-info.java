// SPDX-License-Identifier: Apache-2.0
/** SPI: sends with a confirm, delivers and settles. Implemented by a broker. */
@NullMarked
package io.safebunny.spi.transport;

import org.jspecify.annotations.NullMarked;
