// SPDX-License-Identifier: Apache-2.0
/** SPI: conditional writes of one message record; its stored form, for stores that keep JSON. */
@NullMarked
package io.safebunny.spi.store;

import org.jspecify.annotations.NullMarked;
