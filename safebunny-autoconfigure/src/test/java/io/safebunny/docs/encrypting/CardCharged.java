// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.encrypting;

import io.safebunny.encryption.Encrypted;

@Encrypted(key = "payments")
record CardCharged(String order, String pan) {}
