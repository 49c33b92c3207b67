// SPDX-License-Identifier: Apache-2.0
/** SPI: publications that are part of a transaction of the application. */
@NullMarked
package io.safebunny.spi.outbox;

import org.jspecify.annotations.NullMarked;
