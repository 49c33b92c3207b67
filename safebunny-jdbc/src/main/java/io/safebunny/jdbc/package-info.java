// SPDX-License-Identifier: Apache-2.0
/**
 * Durable records of handled messages in a relational database, in the handlers' own transactions where wanted, and the
 * outbox of the application's transactions.
 */
@NullMarked
package io.safebunny.jdbc;

import org.jspecify.annotations.NullMarked;
