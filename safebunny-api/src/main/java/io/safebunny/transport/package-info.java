// SPDX-License-Identifier: Apache-2.0
/** SPI of a broker: send with confirm, deliver and settle. A transport knows nothing about handlers, retries or poison. */
@NullMarked
package io.safebunny.transport;

import org.jspecify.annotations.NullMarked;
