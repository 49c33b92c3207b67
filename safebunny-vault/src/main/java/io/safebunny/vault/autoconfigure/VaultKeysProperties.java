// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Keys from HashiCorp Vault or OpenBao.
 *
 * @param mount Path of the Transit secrets engine in Vault or OpenBao whose keys encrypt, with safebunny-vault. The same on all nodes that
 *     read each other's messages.
 */
@ConfigurationProperties("safebunny.encryption.vault")
record VaultKeysProperties(@DefaultValue("transit") String mount) {}
