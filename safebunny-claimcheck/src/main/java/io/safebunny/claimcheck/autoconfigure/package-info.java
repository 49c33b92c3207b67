// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration of the claim check. */
@NullMarked
package io.safebunny.claimcheck.autoconfigure;

import org.jspecify.annotations.NullMarked;
