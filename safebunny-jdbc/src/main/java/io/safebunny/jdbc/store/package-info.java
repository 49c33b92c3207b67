// SPDX-License-Identifier: Apache-2.0
/**
 * The message store: records of handled messages, their steps and companions, written on connections of its own or in the handlers'
 * transactions.
 */
@NullMarked
package io.safebunny.jdbc.store;

import org.jspecify.annotations.NullMarked;
