// SPDX-License-Identifier: Apache-2.0
/** Tests of the auto-configuration: contexts with and without a server. */
@NullMarked
package io.safebunny.cosmos.autoconfigure;

import org.jspecify.annotations.NullMarked;
