// SPDX-License-Identifier: Apache-2.0
/** Tests of the store, against a server that speaks the API of Cosmos DB. */
@NullMarked
package io.safebunny.cosmos;

import org.jspecify.annotations.NullMarked;
