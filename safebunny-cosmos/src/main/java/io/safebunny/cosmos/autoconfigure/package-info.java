// SPDX-License-Identifier: Apache-2.0
/** Makes the Cosmos DB store from {@code safebunny.store.cosmos.*}, and its client from {@code spring.cloud.azure.cosmos.*}, or uses the application's own. */
@NullMarked
package io.safebunny.cosmos.autoconfigure;

import org.jspecify.annotations.NullMarked;
