// SPDX-License-Identifier: Apache-2.0
/**
 * The message store in Azure Cosmos DB: conditional writes of one document, or of several in one partition, in one container per
 * consuming node.
 */
@NullMarked
package io.safebunny.cosmos;

import org.jspecify.annotations.NullMarked;
