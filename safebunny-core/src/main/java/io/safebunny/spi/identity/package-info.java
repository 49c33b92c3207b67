// SPDX-License-Identifier: Apache-2.0
/** SPI: ids of messages, as pure functions of what they descend from. */
@NullMarked
package io.safebunny.spi.identity;

import org.jspecify.annotations.NullMarked;
