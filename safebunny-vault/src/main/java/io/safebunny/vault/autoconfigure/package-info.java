// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration of keys from Vault. */
@NullMarked
package io.safebunny.vault.autoconfigure;

import org.jspecify.annotations.NullMarked;
