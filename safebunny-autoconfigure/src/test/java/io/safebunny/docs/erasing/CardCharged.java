// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.erasing;

import io.safebunny.encryption.Encrypted;

@Encrypted(key = "payments", subject = "customer")
record CardCharged(String order, String customer, String pan) {}
