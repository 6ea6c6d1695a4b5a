/* access/secret/password_worst.c — passwords that everybody tries first.
 *
 * Only long ones are here: shorter ones are refused for their length. They are sorted by bytes, in small
 * letters.
 */
#include "access/secret/password_int.h"

/* clang-format off */
static const char *const worst[] = {
    "000000000001", "0987654321qwe", "100000000000", "111222333444", "112233445566", "123123456456",
    "123321123321", "123456123456", "1234567890ab", "1234567890abc", "1234567890qwe", "1234567890qwerty",
    "123456789abc", "123456789qwe", "123456789qwerty", "12345678abcd", "123456abcdef", "123456qwerty",
    "1234qwerasdf", "1234qwerasdfzxcv", "123qwe123qwe1", "123qweasdzxc", "147258369000", "147258369147",
    "159357159357", "159753159753", "1q2w3e4r5t6y", "1q2w3e4r5t6y7u", "1q2w3e4r5t6y7u8i",
    "1q2w3e4r5t6y7u8i9o", "1q2w3e4r5t6y7u8i9o0p", "1qaz!qaz2wsx", "1qaz2wsx3edc", "1qaz2wsx3edc4rfv",
    "1qaz2wsx3edc4rfv5tgb", "1qazxsw23edc", "741852963741", "987654321000", "a1b2c3d4e5f6",
    "a1b2c3d4e5f6g7", "aa1234567890", "aaa111222333", "abc123456789", "abc1234567890", "abcabc123123",
    "abcd12345678", "abcd1234efgh", "abcdef123456", "abcdefg12345", "admin1234567", "admin12345678",
    "admin123456789", "adminadmin123", "administrador", "administrator", "administrator1",
    "administrator12", "administrator123", "adminpassword", "arsenal12345", "asdfasdf1234", "asdfghjkl123",
    "asdfghjkl1234", "asdfghjklzxcvbnm", "autumn2024!!", "autumn2025!!", "autumn2026!!", "barcelona123",
    "baseball1234", "basketball12", "basketball123", "batman123456", "bismillah123", "butterfly123",
    "changeit1234", "changeme123!", "changeme1234", "changeme12345", "changemenow!", "changemeplease",
    "changethis123", "charlie12345", "chelsea12345", "computer1234", "correct horse battery staple",
    "correcthorsebatterystaple", "defaultpass1", "defaultpass123", "defaultpassword", "dragon123456",
    "facebook1234", "football1234", "freedom12345", "godisgood123", "google123456", "guestpassword",
    "hello1234567", "hellohello12", "helloworld12", "helloworld123", "helloworld1234", "idontknow123",
    "idontremember", "iforgotmypassword", "ilovemycat12", "ilovemydog12", "ilovemyfamily", "ilovemylife1",
    "ilovemymother", "iloveyou1234", "iloveyou12345", "iloveyoubaby", "iloveyouforever", "iloveyoumore",
    "iloveyousomuch", "inchallah123", "instagram123", "internet1234", "jennifer1234", "jesuschrist1",
    "jesusislord1", "jesuslovesme", "jordan123456", "letmein12345", "letmein123456", "letmeinnow123",
    "letmeinplease", "linkedin1234", "liverpool123", "lovelovelove1", "loveyouforever", "manchesterunited",
    "master123456", "michael12345", "microsoft123", "monkey123456", "mynameisearl", "mypassword1!",
    "mypassword12", "mypassword123", "mypassword1234", "newpassword1", "newpassword12", "newpassword123",
    "nopassword123", "oldpassword1", "oldpassword123", "opensesame12", "opensesame123", "openthedoor1",
    "p@$$w0rd1234", "p@ssw0rd123!", "p@ssw0rd1234", "p@ssword1234", "passw0rd123!", "passw0rd1234",
    "passw0rd2024", "password!234", "password#1234", "password123!", "password1234", "password12345",
    "password123456", "password1234567", "password2020", "password2021", "password2022", "password2023",
    "password2024", "password2025", "password2026", "password@123", "password@1234", "passwordpassword",
    "pawlpawlpawl1", "pleasechangeme", "pokemon12345", "princess1234", "q1w2e3r4t5y6", "q1w2e3r4t5y6u7i8",
    "qazwsxedc123", "qazwsxedcrfv", "qazwsxedcrfvtgb", "qweasdzxc123", "qweasdzxc1234", "qwerasdfzxcv",
    "qwerasdfzxcv1234", "qwerty123456", "qwerty1234567", "qwerty12345678", "qwerty123456789",
    "qwertyasdfgh", "qwertyasdfzxcv", "qwertyqwerty1", "qwertyqwerty12", "qwertyqwerty123", "qwertyuiop12",
    "qwertyuiop123", "qwertyuiop1234", "qwertyuiop[]", "qwertyuiop[]\\", "qwertyuiopasdf",
    "qwertyuiopasdfgh", "qwertyuiopasdfghjkl", "qwertyuiopasdfghjklzxcvbnm", "realmadrid12",
    "realmadrid123", "root12345678", "rootpassword", "rootroot1234", "samsung12345", "secretpassword",
    "shadow123456", "spiderman123", "spring2024!!", "spring2025!!", "spring2026!!", "starwars1234",
    "summer2024!!", "summer2025!!", "summer2026!!", "sunshine1234", "superman1234", "supersecret1",
    "supersecret12", "supersecret123", "test12345678", "test123456789", "testing12345", "testpassword",
    "testtest1234", "thepassword1", "this is my password", "thisisapassword", "thisismypassword",
    "topsecret123", "topsecret1234", "trustno1trustno1", "userpassword", "useruser1234", "welcome1234!",
    "welcome12345", "welcome123456", "welcome2024!", "welcome2025!", "welcome2026!", "welcomeback1",
    "welcomehome1", "welcomehome123", "whatever1234", "winter2024!!", "winter2025!!", "winter2026!!",
    "workflow1234", "yourpassword", "zaq12wsxcde3", "zaq1xsw2cde3", "zxcvbnm12345", "zxcvbnm123456",
    "zxcvbnmasdfghjkl",
};
/* clang-format on */

bool password_worst_has(str password)
{
    size_t from = 0, to = COUNT(worst);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = str_compare(password, str_of(worst[middle]));
        if (!order) return true;
        if (order < 0) to = middle;
        else from = middle + 1;
    }
    return false;
}
