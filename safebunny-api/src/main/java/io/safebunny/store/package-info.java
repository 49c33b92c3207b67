// SPDX-License-Identifier: Apache-2.0
/**
 * SPI of the durable records of handled messages (conditional writes of one record, or of several in one partition), their stored
 * form, and the outbox for publications in the application's transactions.
 */
@NullMarked
package io.safebunny.store;

import org.jspecify.annotations.NullMarked;
