// SPDX-License-Identifier: Apache-2.0
/** Records of handled messages in Azure Cosmos DB: conditional single-item writes in one container per consuming node. */
@NullMarked
package io.safebunny.cosmos;

import org.jspecify.annotations.NullMarked;
