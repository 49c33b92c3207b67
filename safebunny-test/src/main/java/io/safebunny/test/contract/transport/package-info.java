// SPDX-License-Identifier: Apache-2.0
/** Contract of transports: one rule in one method, in one interface for each subject. */
@NullMarked
package io.safebunny.test.contract.transport;

import org.jspecify.annotations.NullMarked;
