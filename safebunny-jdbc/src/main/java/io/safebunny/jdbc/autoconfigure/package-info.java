// SPDX-License-Identifier: Apache-2.0
/** Makes the message store from the application's {@code DataSource} and the {@code safebunny.store.jdbc.*} properties. */
@NullMarked
package io.safebunny.jdbc.autoconfigure;

import org.jspecify.annotations.NullMarked;
