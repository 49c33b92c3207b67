// SPDX-License-Identifier: Apache-2.0
/**
 * SPI of the durable records of handled messages: conditional writes of one record, or of several in one partition, and their
 * stored form; and of publications that are part of the application's transaction.
 */
@NullMarked
package io.safebunny.store;

import org.jspecify.annotations.NullMarked;
