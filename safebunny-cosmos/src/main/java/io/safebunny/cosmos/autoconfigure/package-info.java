// SPDX-License-Identifier: Apache-2.0
/** Makes the Cosmos DB store from {@code safebunny.store.cosmos.*}, or from the application's own client. */
@NullMarked
package io.safebunny.cosmos.autoconfigure;

import org.jspecify.annotations.NullMarked;
