// SPDX-License-Identifier: Apache-2.0
/** Contract of message stores: one rule in one method, in one interface for each subject. */
@NullMarked
package io.safebunny.test.contract.store;

import org.jspecify.annotations.NullMarked;
