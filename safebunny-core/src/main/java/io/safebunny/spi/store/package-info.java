// SPDX-License-Identifier: Apache-2.0
/**
 * SPI of the durable records of handled messages: conditional writes of one record, or of several in one partition, and their
 * stored form.
 */
@NullMarked
package io.safebunny.spi.store;

import org.jspecify.annotations.NullMarked;
