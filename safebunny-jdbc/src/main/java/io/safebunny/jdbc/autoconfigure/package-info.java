// SPDX-License-Identifier: Apache-2.0
/** Creates the message store and the outbox from the application's {@code DataSource} and the properties. */
@NullMarked
package io.safebunny.jdbc.autoconfigure;

import org.jspecify.annotations.NullMarked;
